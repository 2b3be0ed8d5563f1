"""Whether allowing noisy-ORs pays: structures, held-out records, calibration."""
