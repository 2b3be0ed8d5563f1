"""The pruning rules, which leave families out without scoring them, and their proofs.

Throughout, cost(P, r) is the cost of the child with parents P under relation r, penalty_r(P)
its penalty, LL_r(P) its largest log-likelihood (so cost = penalty - LL and LL <= 0), and m(P) the
lowest cost over all subsets of P that contain the required parents, P itself included, of any
relation.

Penalties have three parts (`core.penalty`): penalty_r(P) = c_r(P) + g_r(|P|) + sum of b_i over P.
What the parameters cost, c_r, depends on the parents' numbers of states and does not fall as
parents are added: a price for each, or for qNML a regret (`core.score` has the proof). What their
number costs, g_r, is concave from one parent on, and may fall: gamma ln C(n - 1, k) of extended BIC
falls for k above (n - 1) / 2. (It is concave, since C(n - 1, k + 1) / C(n - 1, k) = (n - 1 - k) /
(k + 1) falls as k grows. The weight of a relation adds the same to all numbers but 0.) The weights
b_i of the prior have either sign: an arc that is likelier than not has a negative one.

So let Q add s >= 1 of the candidates T to P, s being at most the room R: |T|, or what the largest
number of parents leaves. Then c_r(Q) is at least c_r of P and the one of T with the fewest states.
A concave function is least at an end of its range, so g_r(|Q|) is at least the lesser of g_r(|P| +
1) and g_r(|P| + R). What the candidates add by weights is at least the sum of the negative ones of
T, or the least of all if none is negative. penalty_r(P, T) is the sum of these three bounds and of
P's own weights, and no such Q has a lower penalty. (Where a relation has no parameter form, c_r(P)
takes the place of the first.) If Q must have j, then c_r(Q) >= c_r(P + j), and the weights of T add
at least b_j and the negative ones of the others: penalty_r(P, T, j) is the sum with these.

Every family with cost(P, r) <= m(P) + slack must be kept. A costlier one is in no credible network:
replacing it by the cheapest family over a subset of its parents adds no edge, so the network stays
acyclic, and saves more than the slack. Exactly at the slack a network may lie on the boundary, so
the comparison is inclusive.

The search visits sets in a fixed numbering of the candidates. Below a set P it visits P + S
for S within P's tail T, the candidates numbered below all of P's own. Since m only falls as sets
grow, a rule that compares with m(P) + slack is valid for the whole subtree. With prices (see
`noisyor.core.family_source.Price`) the threshold is the smaller of m(P) + slack and the price. A
subtree's price is the highest, at P, of the prices that apply to some set in it; each falls as sets
grow.

Numbers. Costs closer than the tolerance of a network's cost are equal (`core.tolerance`). The
search leaves a family out only if its proven lower bound exceeds the threshold by 3 tolerances;
the final pass, which fits the remaining families again from a start that depends on the data alone,
only if it does so by 1. The gap of a final fit is at most a tenth of a tolerance. So a family that
one run of the search leaves out, however the work was divided, would be left out by the final pass
of any other run as well, and the table is always the same. A family enters m(P) for other families
only if it is within its price, up to 1 tolerance: every run finds such a family.
"""

from enum import IntFlag


class PruningRule(IntFlag):
    """The rules, each of which may be switched off without changing the result.

    The numbers are those of the kernel's `Rule`.
    """

    PENALTY = 1 << 0
    """The penalty alone exceeds the threshold (Liao et al., 2019; Sharma et al., 2020).

    Every set Q below P adds some of its tail T, so its penalty is at least penalty_r(P, T), and
    -LL >= 0, also for marginal likelihoods. So if penalty_r(P, T) > m(P) + slack, then cost(Q, r) >
    m(Q) + slack. In the same way, if penalty_r(P, T, j) > m(P) + slack for a candidate j, no set
    below P that has j is kept: j leaves T, for this relation and subtree.
    """

    COVERAGE = 1 << 1
    """Causes without a leak explain no record in which none of them is there.

    Without a leak the child is at its first level for certain when no cause is there. So causes
    over Q have finite cost if and only if every record with the child above its first level has a
    cause in Q: sufficiency is plain from q = 1/2. If some such record has no cause in P + {0 ..
    j}, no set below P fits that adds only candidates up to j.
    """

    LIKELIHOOD = 1 << 2
    """Even the largest set of the subtree does not fit well enough.

    LL_r is monotone: added parents can be given no influence (equal rows of the table; q = 1). So
    every Q between P and P + T, other than P, costs at least penalty_r(P, T) - LL_r(P + T).
    For noisy-ORs the bound on -LL is the dual value of the fit, so it holds even if the fit has not
    converged.

    A relation that is known by its fit alone need not be monotone. Its distributions given Q are
    among those of the full table over Q, and these are among those over P + T. So LL_r(Q) is at
    most the LL of the full table over P + T, which bounds every Q in the same way.

    Marginal likelihoods. Under a Bayesian-Dirichlet score, the logarithm of the marginal likelihood
    of a full table takes the place of LL; it is not monotone. A cell, the records with one
    configuration of the parents, has the product of the chances with which its records are
    predicted one after the other, in any order: the next record of a state seen n times among N is
    predicted with (n + a) / (N + r a), r being the child's states and a the pseudo-count. First
    take one record of each of the s states seen in the cell. The i-th, from 0 on, is predicted with
    1 / (r + i / a), so these cost s ln r + sum of ln(1 + i / (r a)) over i < s. The chance of the
    others given these is a mean of likelihoods, at most the largest one: they cost at least H(n -
    1), the -LL of the cell with one record fewer of each state seen.

    Now let Q lie between P and P + T. It divides each cell of P into cells, and each of these is
    divided into those of P + T, the last ones. (1) The numbers s over the cells of Q in a cell of P
    sum to no less than s of that cell. (2) One cell of Q contains the last cell with the most
    states seen, t, so it sees t at least; and a is no larger for Q than for P, since Q has no fewer
    configurations, possible or observed. (3) H does not fall as records are added, and is at least
    the sum over the parts of a cell, so H(n - 1) of a cell of Q is at least the sum of H(n - 1)
    over its last cells. So minus the logarithm of Q's marginal likelihood is at least the sum, over
    the cells of P, of s ln r + sum of ln(1 + i / (r a)) over i < t, plus the sum of H(n - 1) over
    the last cells. (Where the last cells are not known, t = 1 and H >= 0. The number of cells times
    ln r is a bound of de Campos and Ji, 2011; Correia, Cussens and de Campos, 2020, have others.)
    """

    PREFIX = 1 << 3
    """The bound of LIKELIHOOD for the least useful candidates.

    Sets that add to P only candidates numbered up to j lie between P and P + {0 .. j}. The bound
    of LIKELIHOOD with that smaller set holds for all of them, and it grows as j falls: bisection
    finds the first candidate that is worth adding last. For full tables one pass over the
    configurations gives -LL of P + {0 .. j} for every j. As P + j and all below it lie between P
    and that set, it is also the bound of LIKELIHOOD for the subtree of P + j, known before P + j is
    counted.
    """

    CANDIDATE = 1 << 4
    """No set of the subtree that contains this candidate is good enough.

    Let Q with P < Q <= P + T contain j. It costs at least what LIKELIHOOD says, and a bound that
    SLOPE gives for such sets alone, while m(Q) <= m(P + j) and its price is at most the highest
    that a set with P + j can have.
    If the first exceeds the second, no such Q is kept: j leaves T, for this relation and subtree,
    and the other bounds become stronger.
    """

    EARLY_STOP = 1 << 5
    """A fit stops as soon as its bounds decide.

    The dual value at any iterate is a lower bound on the optimum and the primal value an upper
    one (weak duality): once the first exceeds what the family may cost, or the second shows that
    a subtree must be visited, the rest of the fit changes nothing in the result.
    """

    SLOPE = 1 << 6
    """A parent pays for the strengths of its causes.

    A cause model has a column j for each cause, an acting state of a parent, and the levels of the
    child are noisy-OR problems apart, with parameters of their own (docs/relations.md). In the best
    fit over Q, column j has in each level a lambda_j <= L_j = ln(1 + n1_j / a_j), where n1_j and
    a_j count the records with j in which the child is at the level, and below it: where lambda_j >
    0, f of `docs/scoring.md` is stationary, so a_j is the sum of c_r / (exp(s_r) - 1) over the rows
    r that have j, and s_r >= lambda_j, so a_j <= n1_j / (exp(lambda_j) - 1). (Columns with a_j = 0
    have L_j infinite, and pay nothing in what follows.)

    First a bound on penalties that is linear in the candidates added. Parent i adds at least c_i to
    what the parameters cost, as much as it does as the first parent. Let K be the most parents of
    any family, and d = max(0, g(K) - g(K - 1)), the last and so the least rise of the concave g.
    With x_i = c_i + b_i + d, the penalty of a Q that adds s candidates of T to P exceeds that of P
    by at least the sum of x_i over these, plus g(|P| + s) - g(|P|) - d s. The latter is concave in
    s >= 1, so it is at least its lesser value at s = 1 and at s = R. So with the steps w = max(0,
    x_i), every Q from P to P + T has a penalty of at least base(P, T) and the steps of Q - P, where
    base(P, T) is penalty(P), less the sum of max(0, -x_i) over T, plus the least of 0 and the two
    values at s = 1 and s = R. (For a price per parameter alone, it is penalty(P).)

    Let w be the step of parent i, and v = w / (m (r - 1)) its share for each of its parameters, r -
    1 in each of the m levels. In each level at most r - 1 columns of i have a strength: there are
    no more of them, or, where any state may act, the optimum can be taken with one idle state. So w
    is at least the sum of (v / L_j) lambda_j over its columns and levels. Every Q between P and
    P + T hence costs at least base(P, T) plus the minimum over lambda >= 0 of f over P + T, summed
    over the levels, with a_j + v / L_j in place of a_j for the columns of T: a convex problem of
    the same kind, whose dual bounds it. It beats LIKELIHOOD where the optimum uses many candidates
    a little.

    Let u be feasible for the dual of each level, D(u) the sum of their values, and h_j the sum of
    u_r over the rows that have j. If Q has the candidate i, then w is paid in full, and D(u) + w
    less the sum of max(0, h_j - a_j) L_j over the columns of i and the levels bounds the same from
    below, since lambda_j costs a_j - h_j each in the Lagrangian and is at most L_j. Where any state
    may act, one term of each level, the least, can be left out of that sum: one state is idle.
    """

    WIDER = 1 << 7
    """One search serves a relation and a wider one.

    Let each family of a relation be one of a wider relation, with the same penalty, as each leaky
    family is a signed one of the same weight in the prior (docs/relations.md). Then the wider
    relation costs no more over any parents. What its bounds prune, at a set or below it, is also
    too costly for the narrower one, whose families are compared with the same m(P) and the same
    prices. If its fit over P is a family of the narrower relation, no family of the latter over P
    costs less, and its bounds hold for both.
    """

    TABLE = 1 << 8
    """Where few sets are left, each is bounded by the full table over the same parents.

    The distributions of a relation given Q are among those of the full table over Q. So LL_r(Q) is
    at most the LL of that table, and Q costs at least penalty_r(Q) less that LL, whatever is below
    Q. Counting a table takes a fraction of the time of a fit. So where at most three parents can be
    added, and few sets are below P, no bound on all of them together is computed: a family that is
    too costly by its table is not fitted, and where only one parent can be added, a candidate j
    leaves T if the table over P + j is too costly (see CANDIDATE).
    """


ALL_RULES = ~PruningRule(0)

CUTTING_RULES = (
    PruningRule.PENALTY,
    PruningRule.COVERAGE,
    PruningRule.LIKELIHOOD,
    PruningRule.PREFIX,
    PruningRule.CANDIDATE,
)
"""The rules that prune families before they are scored, in the kernel's order."""
