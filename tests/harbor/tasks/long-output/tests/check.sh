test "$(cat answer.txt)" = 7f3a91
