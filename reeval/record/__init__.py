"""The run record: journal, writer, reader, history."""
