"""From what a verb is given to the nodes it means."""
