package dev.headway.probes.otel.span;

import dev.headway.api.internal.SplitMix64;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.record.RunStartedRecord;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.resources.Resource;
import org.jspecify.annotations.Nullable;

/** What all spans of a run share: calendar, ids, resource. Immutable but for the count of ids. */
final class RunContext {

  private final RunTimeline run;
  private final Resource resource;
  private final @Nullable String model;
  private final long idSeed;
  private long traces;

  RunContext(RunTimeline run, SpanOptions options) {
    final RunStartedRecord header = run.header();
    this.run = run;
    this.model =
        options.modelName() != null ? options.modelName() : header.attributes().get("model");
    this.resource =
        Resource.create(
            Attributes.builder()
                .put(SpanNames.SERVICE_NAME, options.serviceName())
                .put(SpanNames.HEADWAY_VERSION, header.headwayVersion())
                .put(SpanNames.VIRTUAL_TIME, header.virtualTime())
                .build());
    this.idSeed =
        SplitMix64.mix(header.anchorUnixEpochNs() ^ SplitMix64.mix(options.sampling().seed()));
  }

  /** Calendar time of an instant, in ns since the epoch. */
  long epochNs(long atNs) {
    return run.unixNs(atNs);
  }

  /** Whether entries of steps are recorded, and with them the progress of requests. */
  boolean knowsProgress() {
    return !run.header().level().equals("summary");
  }

  /** KV blocks that can hold something: all but the null block. */
  int usableBlocks() {
    return Math.max(0, run.usableBlocks());
  }

  Resource resource() {
    return resource;
  }

  @Nullable String model() {
    return model;
  }

  /** Ids for the next trace; the same records in the same order get the same ids. */
  TraceIds nextIds(String name) {
    return new TraceIds(SplitMix64.mix(idSeed ^ Hashes.of(name)) + ++traces);
  }
}
