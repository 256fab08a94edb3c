"""Starts runner processes under the project's interpreter and speaks the protocol with them."""
