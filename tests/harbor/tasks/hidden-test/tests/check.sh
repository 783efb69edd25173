test "$(sh median.sh 9 1 5)" = 5 && test "$(sh median.sh 4 1 3 2)" = 2.5 && test "$(sh median.sh 7)" = 7
