test "$(sh median.sh 1 2 3)" = 2
