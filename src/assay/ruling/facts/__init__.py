"""Facts: what an extractor proposes, what a fact must withstand, and the stage that takes them."""
