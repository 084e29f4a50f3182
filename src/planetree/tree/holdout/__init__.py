"""The tree that is judged by rows held out."""
