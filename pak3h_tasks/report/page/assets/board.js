// What happens when the leaderboard opens.

document.querySelectorAll("table.sortable").forEach(makeSortable);
