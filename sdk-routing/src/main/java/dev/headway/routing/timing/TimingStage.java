package dev.headway.routing.timing;

import static dev.headway.routing.timing.TimingActor.CLIENT;
import static dev.headway.routing.timing.TimingActor.ROUTER;
import static dev.headway.routing.timing.TimingActor.SERVER;

import java.util.List;

/**
 * The instants of a request, in about the order in which they happen; {@link #predecessors} is what
 * surely came before each. Server and scheduler work side by side: the last token may be sampled
 * before the first is sent.
 *
 * <p>A request that ended early lacks the later ones; one that went to a server directly lacks the
 * router's. Stages that are repeated (queued and scheduled after a preemption) count the first
 * time.
 */
public enum TimingStage {
  /** The request was due by the schedule of arrivals, however late the generator was. */
  INTENDED(CLIENT, "intended"),
  /** The generator let go of it: the arrival at the system that is measured. */
  ARRIVED(CLIENT, "arrival"),
  /** Its first byte is written, after any limit of the client's on how many are under way. */
  SENT(CLIENT, "send"),
  /** The router has read it. */
  ROUTER_RECEIVED(ROUTER, "router_recv"),
  /** The policy has chosen a server. */
  ROUTER_PICKED(ROUTER, "router_pick"),
  /** The router begins to write it to that server. */
  TO_SERVER(ROUTER, "to_server"),
  /** The server has read it: nothing is parsed, no template applied, nothing tokenised. */
  SERVER_RECEIVED(SERVER, "server_recv"),
  /** Tokenising begins. */
  TOKENIZE_STARTED(SERVER, "tok_begin"),
  /** Tokenising is done. */
  TOKENIZE_ENDED(SERVER, "tok_end"),
  /** The server begins to hand it to the scheduler. */
  DISPATCHED(SERVER, "dispatch"),
  /** The server has handed it over and goes on. */
  DISPATCH_ENDED(SERVER, "dispatch_end"),
  /** The scheduler's thread has taken it out of its mailbox. */
  SCHEDULER_RECEIVED(SERVER, "sched_recv"),
  /** It is in the waiting queue. */
  QUEUED(SERVER, "enqueue"),
  /** The plan of the first step that computes something of it is made. */
  SCHEDULED(SERVER, "first_sched"),
  /** The executor is given that step. */
  LAUNCHED(SERVER, "launch"),
  /** The executor has taken that step. */
  LAUNCH_ENDED(SERVER, "launch_end"),
  /** The result of its first step has come back. */
  CHUNK_DONE(SERVER, "chunk_done"),
  /** All of the prompt is computed, and the first token sampled. */
  PREFILL_DONE(SERVER, "prefill_done"),
  /** The first token has reached the server's own code. */
  FIRST_OUT(SERVER, "first_out"),
  /** The first part of the answer that holds a token is handed to the transport. */
  FIRST_SENT(SERVER, "first_sent"),
  /** The last token was sampled. */
  LAST_TOKEN(SERVER, "last_token"),
  /** The server has nothing more to say of it but these instants. */
  SERVER_FINISHED(SERVER, "server_finish"),
  /** The client has read the first part that holds a token. */
  CLIENT_FIRST(CLIENT, "client_first"),
  /** The client has read the last part that holds a token. */
  CLIENT_LAST_TOKEN(CLIENT, "client_last_token"),
  /** The client has read the end of the answer. */
  CLIENT_DONE(CLIENT, "client_done");

  private final TimingActor actor;
  private final String label;
  private final String column;

  TimingStage(TimingActor actor, String label) {
    this.actor = actor;
    this.label = label;
    this.column = label + "_ns";
  }

  /** The stages that cannot be later than this one, the nearest only. */
  public List<TimingStage> predecessors() {
    return switch (this) {
      case INTENDED -> List.of();
      case ARRIVED -> List.of(INTENDED);
      case SENT -> List.of(ARRIVED);
      case ROUTER_RECEIVED -> List.of(SENT);
      case ROUTER_PICKED -> List.of(ROUTER_RECEIVED);
      case TO_SERVER -> List.of(ROUTER_PICKED);
      case SERVER_RECEIVED -> List.of(TO_SERVER);
      case TOKENIZE_STARTED -> List.of(SERVER_RECEIVED);
      case TOKENIZE_ENDED -> List.of(TOKENIZE_STARTED);
      case DISPATCHED -> List.of(TOKENIZE_ENDED);
      case DISPATCH_ENDED, SCHEDULER_RECEIVED -> List.of(DISPATCHED);
      case QUEUED -> List.of(SCHEDULER_RECEIVED);
      case SCHEDULED -> List.of(QUEUED);
      case LAUNCHED -> List.of(SCHEDULED);
      case LAUNCH_ENDED, CHUNK_DONE -> List.of(LAUNCHED);
      case PREFILL_DONE -> List.of(CHUNK_DONE);
      case FIRST_OUT, LAST_TOKEN -> List.of(PREFILL_DONE);
      case FIRST_SENT -> List.of(FIRST_OUT);
      case SERVER_FINISHED -> List.of(FIRST_SENT, LAST_TOKEN);
      case CLIENT_FIRST -> List.of(FIRST_SENT);
      case CLIENT_LAST_TOKEN -> List.of(CLIENT_FIRST, LAST_TOKEN);
      case CLIENT_DONE -> List.of(CLIENT_LAST_TOKEN, SERVER_FINISHED);
    };
  }

  /** Whose clock was read. */
  public TimingActor actor() {
    return actor;
  }

  /** The word for it, lower case with underscores. */
  public String label() {
    return label;
  }

  /** Its name in JSON and CSV, which says the unit. */
  public String column() {
    return column;
  }
}
