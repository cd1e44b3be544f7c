"""Text between tags: the tags separated, the text laid out in lines and linked to its source."""
