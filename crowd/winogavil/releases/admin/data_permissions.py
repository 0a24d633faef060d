"""What the pages of predictions and of statistics need."""

PREDICT, UNPREDICT = "winogavil_releases.add_prediction", "winogavil_releases.delete_prediction"
COUNTED = "winogavil_releases.view_statistics"
