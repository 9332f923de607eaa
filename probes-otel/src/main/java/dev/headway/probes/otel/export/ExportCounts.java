package dev.headway.probes.otel.export;

/**
 * What became of spans.
 *
 * @param exported spans that the exporter took over successfully
 * @param failed spans of batches whose export failed, timed out or threw
 * @param dropped spans dropped since too many were waiting
 */
public record ExportCounts(long exported, long failed, long dropped) {}
