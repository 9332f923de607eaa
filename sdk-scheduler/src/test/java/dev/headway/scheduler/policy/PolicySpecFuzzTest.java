package dev.headway.scheduler.policy;

import dev.headway.api.policy.PolicySpec;
import dev.headway.fuzz.ParserFuzz;
import java.nio.charset.StandardCharsets;

/** Policies and probes as a text names them with options. */
class PolicySpecFuzzTest extends ParserFuzz {

  PolicySpecFuzzTest() {
    super(IllegalArgumentException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    PolicySpec.parse(new String(input, StandardCharsets.UTF_8));
  }
}
