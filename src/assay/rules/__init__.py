"""Facts and rules: what a pack declares, what a fact must withstand, what follows from facts.

Everything here is a pure function over records and readings; stages and commands do the rest.
"""
