"""The members of a credible set: counting, enumeration and sampling."""
