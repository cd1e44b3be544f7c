"""What the pack reads from the texts of agendas, packets and minutes."""
