package dev.headway.events.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * QUEUED, type 2: a request entered the waiting queue. The only record, with REJECTED, that has the
 * id; all others name the request by its number.
 *
 * <pre>
 * 16  number       i64  from 0, never reused in a run
 * 24  arrivalNs    i64
 * 32  queuedNs     i64
 * 40  promptTokens i32
 * 44  maxTokens    i32
 * 48  minTokens    i32
 * 52  priority     i32
 * 56  id           text
 *  …  tenant       text or none
 *
 *  since minor 1
 *  …  ttftTargetNs i64  smallest i64 for none; so the next
 *  …  timeoutNs    i64
 *  …  adapter      text or none
 *  …  traceParent  text or none
 * </pre>
 */
public final class QueuedRecord {

  private QueuedRecord() {}

  /** Writes the record. */
  public static void encode(RecordBuffer out, RequestView view) {
    final Request request = view.request();
    out.begin(RecordType.QUEUED)
        .putLong(view.number())
        .putLong(view.arrivalNs())
        .putLong(view.queuedNs())
        .putInt(request.promptTokens())
        .putInt(request.stopRule().maxTokens())
        .putInt(request.stopRule().minTokens())
        .putInt(request.priority())
        .putText(request.id())
        .putText(request.tenant().orElse(null))
        .putLong(nanos(request.ttftTarget().orElse(null)))
        .putLong(nanos(request.timeout().orElse(null)))
        .putText(request.lora().map(LoraAdapter::name).orElse(null))
        .putText(request.traceParent().orElse(null));
  }

  static void decode(RecordCursor in, JournalVisitor visitor) {
    in.seek(56);
    final String id = in.nextText();
    final String tenant = in.nextNullableText();
    final boolean hasMinor1 = in.remaining() >= 24;
    visitor.onQueued(
        new JournalVisitor.QueuedRequest(
            in.longAt(16),
            id,
            in.longAt(24),
            in.longAt(32),
            in.intAt(40),
            in.intAt(44),
            in.intAt(48),
            in.intAt(52),
            tenant,
            hasMinor1 ? in.nextLong() : ABSENT,
            hasMinor1 ? in.nextLong() : ABSENT,
            hasMinor1 ? in.nextNullableText() : null,
            hasMinor1 ? in.nextNullableText() : null));
  }

  private static long nanos(@Nullable Duration duration) {
    return duration == null ? ABSENT : TimeUnit.NANOSECONDS.convert(duration); // saturates
  }
}
