"""Files on disk: written whole, locked while in use, and measured before they are unpacked."""
