"""The spine: the stages that all packs share, from an endpoint to a document handed to a pack."""
