package dev.headway.router.record;

import dev.headway.probes.otel.export.ExportCounts;
import org.jspecify.annotations.Nullable;

/** Follows requests through a router. Called by many threads; must not block. */
@FunctionalInterface
public interface RequestTracer {

  /** Follows none: what callers say of their traces is passed on as it is. */
  RequestTracer NONE = traceParent -> RequestTrace.NONE;

  /**
   * Begins to follow a request.
   *
   * @param traceParent the caller's header of that name; null without one
   */
  RequestTrace begin(@Nullable String traceParent);

  /** What became of the spans so far; null if none are made. */
  default @Nullable ExportCounts counts() {
    return null;
  }
}
