"""Registers every verb with the application by importing its module."""
