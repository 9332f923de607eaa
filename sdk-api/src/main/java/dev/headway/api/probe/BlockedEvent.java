package dev.headway.api.probe;

import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * A decision: a request was examined and got nothing, for a reason other than in the step before.
 * The reason holds in the following steps until the next event of this request.
 *
 * <p>With an instant in {@link #atNs()} it is no decision of a step: something outside the
 * scheduler holds the request from that instant on.
 */
public interface BlockedEvent extends RequestEvent {

  /** Why it got nothing. */
  WaitReason reason();

  /** The one request in the way, or null if it is not one request. */
  @Nullable RequestView blocker();

  /**
   * KV blocks that it needs from the free ones, or tokens if the reason is a token budget; 0 if
   * neither applies.
   */
  int needed();

  /** How many of those there were. */
  int free();
}
