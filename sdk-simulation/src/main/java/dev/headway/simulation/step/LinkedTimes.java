package dev.headway.simulation.step;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.model.AttentionCall;
import dev.headway.simulation.model.ExpertCall;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.MatMul;

/**
 * Other operator times, with all-reduces over a link that was measured.
 *
 * @param times of everything else
 * @param link between the devices
 */
public record LinkedTimes(OperatorTimes times, Link link) implements OperatorTimes {

  @Override
  public double matMulNs(MatMul matMul, double rows) {
    return times.matMulNs(matMul, rows);
  }

  @Override
  public double attentionNs(AttentionCall call, StepFeatures step) {
    return times.attentionNs(call, step);
  }

  @Override
  public double expertsNs(ExpertCall experts, double tokens) {
    return times.expertsNs(experts, tokens);
  }

  @Override
  public double elementwiseNs(ForwardPass pass, double tokens) {
    return times.elementwiseNs(pass, tokens);
  }

  @Override
  public double samplingNs(double rows) {
    return times.samplingNs(rows);
  }

  @Override
  public double allReduceNs(double bytes, int devices) {
    return link.allReduceNs(bytes, devices);
  }

  @Override
  public String toString() {
    return times + ", a measured link";
  }
}
