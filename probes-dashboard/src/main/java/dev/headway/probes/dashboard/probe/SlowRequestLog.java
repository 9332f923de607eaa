package dev.headway.probes.dashboard.probe;

import dev.headway.events.model.Cause;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.WaitListener;
import dev.headway.probes.dashboard.state.DigestText;
import dev.headway.probes.dashboard.state.RequestDigest;
import dev.headway.toolbox.text.Human;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Says of each request that waited too long why it did, a limited number per minute. */
final class SlowRequestLog implements RunListener, WaitListener {

  private static final long MINUTE_NS = 60_000_000_000L;

  private final long thresholdNs;
  private final int perMinute;
  private final Consumer<String> log;
  private @Nullable RunTimeline run;
  private List<Cause> causes = List.of();
  private long minuteBeginNs;
  private int inMinute;
  private long leftOut;

  SlowRequestLog(Duration threshold, int perMinute, Consumer<String> log) {
    this.thresholdNs = threshold.toNanos();
    this.perMinute = perMinute;
    this.log = log;
  }

  @Override
  public RunListener onRun(RunTimeline started) {
    run = started;
    causes = started.bookWaits(this);
    minuteBeginNs = 0;
    inMinute = 0;
    return this;
  }

  @Override
  public void onSettled(RequestTimeline request) {
    final RunTimeline of = run;
    final long ingressNs = request.queued().queuedNs() - request.queued().arrivalNs();
    if (of == null || ingressNs + request.waits().totalNs() <= thresholdNs) {
      return;
    }
    if (request.endedNs() - minuteBeginNs >= MINUTE_NS) {
      minuteBeginNs = request.endedNs();
      inMinute = 0;
    }
    if (inMinute == perMinute) {
      leftOut++;
      return;
    }
    inMinute++;
    log.accept(text(RequestDigest.of(of, request, causes, request.endedNs())));
    leftOut = 0;
  }

  private String text(RequestDigest request) {
    return "slow request "
        + request.id()
        + ": waited "
        + Human.duration(request.ingressNs() + request.waitedNs())
        + " of "
        + Human.duration(request.ageNs())
        + "; "
        + String.join("; ", DigestText.sentences(request))
        + (leftOut == 0 ? "" : " (" + Human.count(leftOut) + " others were not logged)");
  }
}
