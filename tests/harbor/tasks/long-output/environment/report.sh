seq 1 15000 | sed 's/^/first part, entry /'
echo "checksum: 7f3a91"
seq 1 15000 | sed 's/^/second part, entry /'
