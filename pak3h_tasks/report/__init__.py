"""From runs to findings: tables, report page, leaderboard."""
