"""A board of many models from one file: runs what is missing, judges it, writes a folder that can be served."""
