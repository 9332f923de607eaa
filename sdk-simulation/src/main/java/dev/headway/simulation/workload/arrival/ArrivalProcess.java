package dev.headway.simulation.workload.arrival;

/**
 * When requests arrive. Immutable: it can be started any number of times, and equal seeds give
 * equal arrivals on every machine.
 */
@FunctionalInterface
public interface ArrivalProcess {
  /**
   * Starts the process at 0 s.
   *
   * @param seed any number; only the process draws from it, from streams of its own
   * @return the arrivals
   */
  ArrivalTimes start(long seed);

  /**
   * Requests whose gaps are drawn independently, at a rate that may change with time.
   *
   * <p>The change is one of time: the process runs with mean gap 1 on a clock that has shown {@link
   * RateProfile#expectedBy} at each instant. With exponential gaps this is the non-homogeneous
   * Poisson process of that rate; with others the burstiness stays while the rate changes.
   *
   * @param gaps how evenly requests follow one another
   * @param rate requests per second
   * @return the process
   */
  static ArrivalProcess of(Gaps gaps, RateProfile rate) {
    return new RenewalProcess(gaps, rate);
  }

  /**
   * Poisson arrivals at a rate that switches at random between two values (MMPP-2); with 0 as the
   * second rate, bursts and silences. The first state is drawn by the share of time that each has.
   *
   * @param firstRate requests per second in the first state, at least 0
   * @param secondRate requests per second in the second state, at least 0; one of both is above 0
   * @param firstSeconds mean time in the first state, exponentially distributed, above 0
   * @param secondSeconds mean time in the second state, above 0
   * @return the process
   */
  static ArrivalProcess switching(
      double firstRate, double secondRate, double firstSeconds, double secondSeconds) {
    return new SwitchingProcess(firstRate, secondRate, firstSeconds, secondSeconds);
  }

  /**
   * Every request at 0 s, the {@code --request-rate inf} of vLLM.
   *
   * @return the process
   */
  static ArrivalProcess allAtOnce() {
    return seed -> () -> 0.0;
  }

  /**
   * This process, stretched so that request number {@code requests} arrives at {@code requests /
   * ratePerSecond}, as {@code vllm bench serve} does at a fixed rate. Starting it draws that many
   * arrivals twice and keeps none.
   *
   * @param requests how many, at least 1
   * @param ratePerSecond mean rate of these requests, above 0
   * @return the stretched process; unchanged where that request arrives at 0 s or never
   */
  default ArrivalProcess withExactMean(int requests, double ratePerSecond) {
    return new ExactMean(this, requests, ratePerSecond);
  }
}
