package dev.headway.events.record;

/** The numbers in the {@code type} field of a record, and the version of all the layouts. */
public final class RecordType {

  /** Version in every record. A reader refuses a larger one. */
  public static final int SCHEMA_VERSION = 2;

  /** Counts additions within {@link #SCHEMA_VERSION}; in the start record only. */
  public static final int SCHEMA_MINOR = 8;

  static final int RUN_STARTED = 1;
  static final int QUEUED = 2;
  static final int REJECTED = 3;
  static final int ADMITTED = 4;
  static final int BLOCKED = 5;
  static final int UNBLOCKED = 6;
  static final int ADMISSIONS_CLOSED = 7;
  static final int PREEMPTED = 8;
  static final int CACHE_RESET = 9;
  static final int PLANNED = 10;
  static final int FIRST_TOKEN = 11;
  static final int FINISHED = 12;
  static final int STEP_COMPLETED = 13;
  static final int KV_STORED = 14;
  static final int KV_REMOVED = 15;
  static final int KV_CLEARED = 16;
  static final int DROPPED = 17;
  static final int RUN_ENDED = 18;
  static final int SCORED = 19;
  static final int JOURNEY = 20;
  static final int KV_TRANSFER = 21;
  static final int KV_BATCH = 22;
  static final int LIMITS_CHANGED = 23;

  private static final String[] NAMES = {
    "none",
    "run_started",
    "queued",
    "rejected",
    "admitted",
    "blocked",
    "unblocked",
    "admissions_closed",
    "preempted",
    "cache_reset",
    "planned",
    "first_token",
    "finished",
    "step_completed",
    "kv_stored",
    "kv_removed",
    "kv_cleared",
    "dropped",
    "run_ended",
    "scored",
    "journey",
    "kv_transfer",
    "kv_batch",
    "limits_changed"
  };

  private RecordType() {}

  /** Returns the word for a type, for messages. */
  public static String name(int type) {
    return type >= 0 && type < NAMES.length ? NAMES[type] : "type_" + type;
  }
}
