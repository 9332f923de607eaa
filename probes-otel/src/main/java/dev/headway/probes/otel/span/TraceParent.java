package dev.headway.probes.otel.span;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A caller's {@code traceparent}, W3C Trace Context. Immutable, any thread.
 *
 * @param context the caller's trace, span and flags; valid
 */
public record TraceParent(SpanContext context) {

  private static final Pattern FORMAT =
      Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

  /** Reads a header; null for none, or for one that is not as the specification has it. */
  public static @Nullable TraceParent parse(@Nullable String header) {
    if (header == null) {
      return null;
    }
    final Matcher parts = FORMAT.matcher(header.strip());
    if (!parts.matches() || parts.group(1).equals("ff")) {
      return null;
    }
    if (parts.group(1).equals("00") && parts.group(5) != null) {
      return null; // only later versions may go on
    }
    final SpanContext context =
        SpanContext.createFromRemoteParent(
            parts.group(2),
            parts.group(3),
            TraceFlags.fromHex(parts.group(4), 0),
            TraceState.getDefault());
    return context.isValid() ? new TraceParent(context) : null;
  }

  /** Whether the caller's span is recorded. */
  public boolean isSampled() {
    return context.isSampled();
  }
}
