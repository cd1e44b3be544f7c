"""Rules from gazettes and tax sites, in Croatian, English and German."""
