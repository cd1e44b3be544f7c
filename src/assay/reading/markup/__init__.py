"""Text between tags: the tags told apart, the text laid out in lines, and the way back."""
