"""Plug-ins for other libraries, each an optional extra; nothing here is imported by the rest."""
