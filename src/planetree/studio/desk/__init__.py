"""What the workers of the studio do: tasks on a table and its model, each answered with plain data.

tables          the table, the model and the editor of a recipe, kept until another is asked for
opening         what is in a file: kinds, histograms, what looks wrong
fitting         a model with its sizes, each with its error on unseen rows
present_model   the model as it is drawn; its decisions questioned and changed
table_rows      rows, the way of a row, what would change its class, errors by group
comparing       other methods; the search of SET-GEN
scoring         a new file: renamed columns, drift, predictions
handing_over    the model in other formats, tried; score sheet and report
"""
