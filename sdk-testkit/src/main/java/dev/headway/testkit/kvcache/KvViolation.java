package dev.headway.testkit.kvcache;

/** Ends a random load: what follows a broken rule means nothing. */
final class KvViolation extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final KvRule rule;

  KvViolation(KvRule rule, String what) {
    super(rule + ": " + what);
    this.rule = rule;
  }

  KvRule rule() {
    return rule;
  }
}
