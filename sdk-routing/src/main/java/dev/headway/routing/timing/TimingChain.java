package dev.headway.routing.timing;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.timing.ClockOffset.Estimate;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Puts together what client, router and server say of a request: on the client's clock, counted
 * from the start of its run.
 *
 * <p>Processes of one host share a clock, and nothing is estimated. Of another host's the offset is
 * learnt from the requests themselves ({@link ClockOffset}), its error added along the way: the
 * server's against the router's as the router says, the router's against the client's as seen here.
 * Where no offset is known the instants are left out. One thread.
 */
public final class TimingChain {

  private final String clock;
  private final long originNs;
  private final Map<String, ClockOffset> offsets = new HashMap<>();

  /**
   * Begins a run.
   *
   * @param clock the client's clock, {@link HostClock#id()}
   * @param originNs the start of the run on it
   */
  public TimingChain(String clock, long originNs) {
    this.clock = clock;
    this.originNs = originNs;
  }

  /**
   * Puts a request together.
   *
   * @param client the client's instants, on its clock
   * @param headNs when the client had read the head of the answer, or absent
   * @param router what the router said, or null if there was none or it said nothing
   * @param server what the server said, or null
   */
  public TimedRequest assemble(
      RequestTiming client,
      long headNs,
      @Nullable RouterTiming router,
      @Nullable ServerTiming server) {
    final Estimate routerClock = router == null ? null : routerClock(client, headNs, router);
    final Estimate serverClock =
        server == null ? null : serverClock(client, router, routerClock, server);
    final RequestTiming at = new RequestTiming().take(TimingActor.CLIENT, client);
    at.shift(TimingActor.CLIENT, -originNs);
    if (router != null && routerClock != null) {
      at.take(TimingActor.ROUTER, router.at());
      at.shift(TimingActor.ROUTER, -routerClock.offsetNs() - originNs);
    }
    if (server != null && serverClock != null) {
      at.take(TimingActor.SERVER, server.at());
      at.shift(TimingActor.SERVER, -serverClock.offsetNs() - originNs);
    }
    return new TimedRequest(at, router, server, routerClock, serverClock);
  }

  private @Nullable Estimate routerClock(RequestTiming client, long headNs, RouterTiming router) {
    if (router.clock().equals(clock)) {
      return Estimate.SAME_CLOCK;
    }
    return learn(
        router.clock(),
        client.ns(TimingStage.SENT),
        router.at().ns(TimingStage.ROUTER_RECEIVED),
        router.headNs(),
        headNs);
  }

  private @Nullable Estimate serverClock(
      RequestTiming client,
      @Nullable RouterTiming router,
      @Nullable Estimate routerClock,
      ServerTiming server) {
    if (server.clock().equals(clock)) {
      return Estimate.SAME_CLOCK;
    }
    if (router == null) {
      return learn(
          server.clock(),
          client.ns(TimingStage.SENT),
          server.at().ns(TimingStage.SERVER_RECEIVED),
          server.at().ns(TimingStage.FIRST_SENT),
          client.ns(TimingStage.CLIENT_FIRST));
    }
    if (router.clock().equals(server.clock())) {
      return routerClock;
    }
    final Estimate behindRouter = router.serverClock();
    if (routerClock == null || behindRouter == null) {
      return null;
    }
    return new Estimate(
        routerClock.offsetNs() + behindRouter.offsetNs(),
        routerClock.errorNs() + behindRouter.errorNs());
  }

  private @Nullable Estimate learn(
      String other, long sentNs, long receivedNs, long repliedNs, long returnedNs) {
    final ClockOffset offset = offsets.computeIfAbsent(other, id -> new ClockOffset());
    if (sentNs != ABSENT && receivedNs != ABSENT && repliedNs != ABSENT && returnedNs != ABSENT) {
      offset.learn(sentNs, receivedNs, repliedNs, returnedNs);
    }
    return offset.isKnown() ? offset.estimate() : null;
  }
}
