#!/bin/sh
# Write the reward as Harbor expects it: 1 if the check passes, else 0.
mkdir -p /logs/verifier
sh /tests/check.sh && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
