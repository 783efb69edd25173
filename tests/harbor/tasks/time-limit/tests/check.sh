test "$(cat status.txt)" = hangs
