package dev.headway.events.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.probe.QueuedEvent;
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
 * 16  requestNumber i64  from 0, never reused in a run
 * 24  arrivalNs     i64
 * 32  queuedNs      i64
 * 40  promptTokens  i32
 * 44  maxTokens     i32
 * 48  minTokens     i32
 * 52  priority      i32
 * 56  requestId     text
 *  …  tenant        text or none
 *
 *  since 1.1
 *  …  ttftTargetNs  i64  smallest i64 for none; so the next
 *  …  timeoutNs     i64
 *  …  adapter       text or none
 *  …  traceParent   text or none
 *
 *  since 2.3, only for a request with items or, since 2.6, with a timeout of a phase
 *  …  items         i32
 *  …  embeddings    i32
 *
 *  since 2.6, only for a request with a timeout of a phase
 *  …  queueTimeoutNs  i64  smallest i64 for none; so the next
 *  …  runTimeoutNs    i64
 * </pre>
 *
 * @param requestNumber from 0, never reused in a run
 * @param ttftTargetNs how soon after its arrival its first token is due, or absent
 * @param timeoutNs how soon after its arrival it ends anyhow, or absent
 * @param adapter name of its LoRA adapter, or null
 * @param traceParent W3C trace context that it came with, or null
 * @param items images and other multi-modal items of its prompt
 * @param embeddings those of all of them
 * @param queueTimeoutNs how soon after its submission it is to be begun, or absent
 * @param runTimeoutNs how soon after that it ends anyhow, or absent
 */
public record QueuedRecord(
    long requestNumber,
    String requestId,
    long arrivalNs,
    long queuedNs,
    int promptTokens,
    int maxTokens,
    int minTokens,
    int priority,
    @Nullable String tenant,
    long ttftTargetNs,
    long timeoutNs,
    @Nullable String adapter,
    @Nullable String traceParent,
    int items,
    int embeddings,
    long queueTimeoutNs,
    long runTimeoutNs) {

  /** A request without items, and without timeouts of its phases. */
  public QueuedRecord(
      long requestNumber,
      String requestId,
      long arrivalNs,
      long queuedNs,
      int promptTokens,
      int maxTokens,
      int minTokens,
      int priority,
      @Nullable String tenant,
      long ttftTargetNs,
      long timeoutNs,
      @Nullable String adapter,
      @Nullable String traceParent) {
    this(
        requestNumber,
        requestId,
        arrivalNs,
        queuedNs,
        promptTokens,
        maxTokens,
        minTokens,
        priority,
        tenant,
        ttftTargetNs,
        timeoutNs,
        adapter,
        traceParent,
        0,
        0,
        ABSENT,
        ABSENT);
  }

  /** The record of an event, without its bytes. */
  public static QueuedRecord of(QueuedEvent event) {
    final RequestView view = event.request();
    final Request request = view.request();
    return new QueuedRecord(
        view.number(),
        request.id(),
        view.arrivalNs(),
        view.queuedNs(),
        request.promptTokens(),
        request.stopRule().maxTokens(),
        request.stopRule().minTokens(),
        request.priority(),
        request.tenant(),
        nanos(request.ttftTarget()),
        nanos(request.timeout()),
        adapter(request),
        request.traceParent(),
        request.items().size(),
        embeddings(request),
        nanos(request.timeouts().queue()),
        nanos(request.timeouts().run()));
  }

  private static int embeddings(Request request) {
    int embeddings = 0;
    for (int index = 0; index < request.items().size(); index++) {
      embeddings += request.items().get(index).embeddings();
    }
    return embeddings;
  }

  private static @Nullable String adapter(Request request) {
    final LoraAdapter lora = request.lora();
    return lora == null ? null : lora.name();
  }

  static void encode(RecordBuffer out, QueuedEvent event) {
    final RequestView view = event.request();
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
        .putText(request.tenant())
        .putLong(nanos(request.ttftTarget()))
        .putLong(nanos(request.timeout()))
        .putText(adapter(request))
        .putText(request.traceParent());
    final Duration queueTimeout = request.timeouts().queue();
    final Duration runTimeout = request.timeouts().run();
    final boolean hasPhases = queueTimeout != null || runTimeout != null;
    if (hasPhases || !request.items().isEmpty()) {
      out.putInt(request.items().size()).putInt(embeddings(request));
    }
    if (hasPhases) {
      out.putLong(nanos(queueTimeout)).putLong(nanos(runTimeout));
    }
  }

  static QueuedRecord decode(RecordCursor in) {
    in.seek(56);
    final String id = in.nextText();
    final String tenant = in.nextNullableText();
    final boolean hasMinor1 = in.remaining() >= 24;
    final long ttftTargetNs = hasMinor1 ? in.nextLong() : ABSENT;
    final long timeoutNs = hasMinor1 ? in.nextLong() : ABSENT;
    final String adapter = hasMinor1 ? in.nextNullableText() : null;
    final String traceParent = hasMinor1 ? in.nextNullableText() : null;
    final boolean hasItems = in.remaining() >= 2 * Integer.BYTES;
    final int items = hasItems ? in.nextCount() : 0;
    final int embeddings = hasItems ? in.nextCount() : 0;
    final boolean hasPhases = in.remaining() >= 2 * Long.BYTES;
    return new QueuedRecord(
        in.longAt(16),
        id,
        in.longAt(24),
        in.longAt(32),
        in.intAt(40),
        in.intAt(44),
        in.intAt(48),
        in.intAt(52),
        tenant,
        ttftTargetNs,
        timeoutNs,
        adapter,
        traceParent,
        items,
        embeddings,
        hasPhases ? in.nextLong() : ABSENT,
        hasPhases ? in.nextLong() : ABSENT);
  }

  private static long nanos(@Nullable Duration duration) {
    return duration == null ? ABSENT : TimeUnit.NANOSECONDS.convert(duration); // saturates
  }
}
