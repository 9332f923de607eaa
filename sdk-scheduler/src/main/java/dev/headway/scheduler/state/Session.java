package dev.headway.scheduler.state;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.SessionInput;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * What a session has besides other requests. Changed by {@code core.Sessions} only; engine thread.
 */
public final class Session {

  /** An input that the session has not begun with. */
  public record Pending(SessionInput input, long arrivalNs) {}

  /** Inputs that came while it was busy, oldest first. */
  public final Queue<Pending> inputs = new ArrayDeque<>();

  /** Whether no further input comes behind {@link #inputs}. */
  public boolean inputEnded;

  /** Whether its turn is over and it waits for input. */
  public boolean idle;

  /** Whether it was admitted last to go on in its blocks, which it had kept. */
  public boolean goesOnInKeptBlocks;

  /** Turns that are over. */
  public int turns;

  /** How the latest of them ended; nothing before the first. */
  public FinishReason lastReason = FinishReason.STOP;

  /** The stop token that ended it, or absent. */
  public long lastStopTokenId;
}
