package dev.headway.probes.otel.metric;

import java.util.ArrayList;
import java.util.List;

/** Upper bounds of histograms, ascending, without the last at infinity. Seconds unless said. */
final class Buckets {

  private Buckets() {}

  /** vLLM's for the first token. */
  static double[] vllmFirstToken() {
    return new double[] {
      .001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160,
      640, 2560
    };
  }

  /** vLLM's for tokens after the first. */
  static double[] vllmToken() {
    return new double[] {
      .01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80
    };
  }

  /** vLLM's for requests; nothing below 0.3. */
  static double[] vllmRequest() {
    return new double[] {
      .3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680
    };
  }

  /** vLLM's for the tokens of a step. */
  static double[] vllmIteration() {
    return new double[] {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
  }

  /** vLLM's for the answers to one request. */
  static double[] vllmChoices() {
    return new double[] {1, 2, 5, 10, 20};
  }

  /** vLLM's for the preemptions of a request. */
  static double[] vllmPreemptions() {
    return new double[] {1, 2, 3, 4, 5, 10, 20};
  }

  /** vLLM's for tokens of a request: 1, 2, 5, 10 and so on, up to the context of the model. */
  static double[] oneTwoFive(int most) {
    final List<Double> bounds = new ArrayList<>();
    for (long decade = 1; decade <= most; decade *= 10) {
      for (long factor : new long[] {1, 2, 5}) {
        if (decade * factor <= most) {
          bounds.add((double) (decade * factor));
        }
      }
    }
    return bounds.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** SGLang's for the first token. */
  static double[] sglangFirstToken() {
    return new double[] {.1, .2, .4, .6, .8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400};
  }

  /** SGLang's for tokens after the first. */
  static double[] sglangToken() {
    return new double[] {
      .002, .004, .006, .008, .01, .015, .02, .025, .03, .035, .04, .06, .08, .1, .2, .4, .6, .8, 1,
      2, 4, 6, 8
    };
  }

  /** SGLang's for requests. */
  static double[] sglangRequest() {
    return new double[] {
      .1, .2, .4, .6, .8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400, 600, 1200, 1800, 2400
    };
  }

  /** SGLang's for time in the queue; the first is 0. */
  static double[] sglangQueue() {
    return new double[] {
      0, .001, .005, .01, .05, .1, .2, .5, 1, 2, 3, 4, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90,
      100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1200, 1400, 1600, 1800, 2000, 2500, 3000
    };
  }

  /** OpenTelemetry's for the first token. */
  static double[] genAiFirstToken() {
    return new double[] {.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10};
  }

  /** OpenTelemetry's for tokens after the first. */
  static double[] genAiToken() {
    return new double[] {.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5};
  }

  /** OpenTelemetry's for requests. */
  static double[] genAiRequest() {
    return new double[] {
      .01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92
    };
  }

  /** Ours for time in the queue: from a millisecond, where vLLM's begin at 0.3 s. */
  static double[] queue() {
    return new double[] {
      .001, .002, .005, .01, .025, .05, .1, .15, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600
    };
  }

  /** Ours for a phase of a step: from a microsecond. */
  static double[] stepPhase() {
    return new double[] {
      1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, .001, .002, .005, .01, .02, .05, .1, .2,
      .5, 1, 2, 5
    };
  }

  /** Ours for requests of a step. */
  static double[] batch() {
    return new double[] {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};
  }
}
