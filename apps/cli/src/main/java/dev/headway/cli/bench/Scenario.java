package dev.headway.cli.bench;

import java.util.List;

/** Loads that are asked for by name. */
enum Scenario {
  /** 10 requests at 5 per second. */
  SMALL(10, 5),
  /** 100 requests at 50 per second. */
  MEDIUM(100, 50),
  /** 500 requests at 100 per second. */
  LARGE(500, 100),
  /** The three one after the other. */
  BRIEF(0, 0);

  final int requests;
  final double rate;

  Scenario(int requests, double rate) {
    this.requests = requests;
    this.rate = rate;
  }

  /** The scenarios that are run. */
  List<Scenario> parts() {
    return this == BRIEF ? List.of(SMALL, MEDIUM, LARGE) : List.of(this);
  }
}
