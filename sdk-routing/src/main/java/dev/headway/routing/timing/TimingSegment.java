package dev.headway.routing.timing;

/**
 * The parts that the time of a request is made of, in order: each ends where the next begins, so
 * that they add up to the whole from {@link TimingStage#ARRIVED} to {@link
 * TimingStage#CLIENT_DONE}.
 */
public enum TimingSegment {
  /** Waiting in the client for a place among those under way. */
  CLIENT_QUEUE("client_queue", "client", TimingStage.SENT),
  /** From the client to the router. */
  TO_ROUTER("network_to_router", "network", TimingStage.ROUTER_RECEIVED),
  /** Choosing a server. */
  ROUTER_PICK("routing", "router", TimingStage.ROUTER_PICKED),
  /** Waiting in the router for the server's connection, and earlier attempts. */
  ROUTER_SEND("forwarding", "router", TimingStage.TO_SERVER),
  /** To the server, from the router or the client. */
  TO_SERVER("network_to_server", "network", TimingStage.SERVER_RECEIVED),
  /** Parsing, checking and templating. */
  PARSE("parse", "server", TimingStage.TOKENIZE_STARTED),
  /** Tokenising. */
  TOKENIZE("tokenize", "tokenizer", TimingStage.TOKENIZE_ENDED),
  /** From the server to the waiting queue: most of it is the step under way. */
  HANDOFF("handoff", "server", TimingStage.QUEUED),
  /** Waiting in the queue, the first time. */
  QUEUE("queue", "queue", TimingStage.SCHEDULED),
  /** Computing the prompt and the first token, later waits after a preemption included. */
  PREFILL("prefill", "prefill", TimingStage.PREFILL_DONE),
  /** Text of the first token. */
  DETOKENIZE("detokenize", "server", TimingStage.FIRST_SENT),
  /** The first token's way to the client. */
  TO_CLIENT("network_to_client", "network", TimingStage.CLIENT_FIRST),
  /** The other tokens, as the client reads them. */
  DECODE("decode", "decode", TimingStage.CLIENT_LAST_TOKEN),
  /** From the last token to the end of the answer. */
  FINISH("finish", "server", TimingStage.CLIENT_DONE);

  private final String label;
  private final String place;
  private final String column;
  private final TimingStage end;

  TimingSegment(String label, String place, TimingStage end) {
    this.label = label;
    this.place = place;
    this.column = label + "_ns";
    this.end = end;
  }

  /** The word for it. */
  public String label() {
    return label;
  }

  /** Its name in CSV. */
  public String column() {
    return column;
  }

  /** Where the time went: client, network, router, server, tokenizer, queue, prefill or decode. */
  public String place() {
    return place;
  }

  /** Where it ends; it begins where the last one before it ends that has an instant. */
  public TimingStage end() {
    return end;
  }
}
