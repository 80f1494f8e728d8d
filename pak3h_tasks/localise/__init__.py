"""The localisation pipeline: how a Pak3H dataset is made."""
