"""What the command and the page share: functions that return data or raise, and print nothing.

reading         a file as the table, the classes and the weights to learn from
methods         the one list of methods, by the name that a user types
figures         what answers to unseen rows are worth: error, recall, precision, AUC, ...
validation      errors on rows that were not learned from, sizes, weights of columns
groups          errors by the values of a column
rows            why single rows get their class, and tables of predictions
model_words     a model in words, with its size
comparison      methods against each other on the same folds
checks          columns that give the class away or name the row, very unequal classes
"""
