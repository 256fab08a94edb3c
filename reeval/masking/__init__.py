"""Every secret's value, in every form it can take, turned into its name before it is written."""
