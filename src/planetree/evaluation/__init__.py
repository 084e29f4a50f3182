"""What the command and the page share: functions that return data or raise, and print nothing.

reading         a file as the table, the classes and the weights to learn from
methods         the one list of methods, by the name that a user types
validation      errors on rows that were not learned from
comparison      methods against each other on the same folds
column_scores   how much each column counts in a fitted model
"""
