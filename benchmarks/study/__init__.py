"""Whether allowing noisy-ORs pays off: structures, held-out records, calibration."""
