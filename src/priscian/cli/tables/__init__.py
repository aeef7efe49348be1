"""Tables on the screen."""
