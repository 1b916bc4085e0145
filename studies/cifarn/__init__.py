"""People's wrong labels on pictures: every method, every detector, and the leaderboard beside."""
