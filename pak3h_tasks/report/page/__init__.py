"""Reports and leaderboards as one self-contained HTML file each: no network, no framework, hostile text inert."""
