// What a lab's Node.js program does with AWS's SDK. Started as: node javascript.cjs TOPIC [ENDPOINT]
"use strict";
const { createRequire } = require("node:module");
const readline = require("node:readline");

const mturkModule = createRequire(`${process.cwd()}/`)("@aws-sdk/client-mturk");
const { MTurk, RequestError } = mturkModule;

const [topic, endpoint] = process.argv.slice(2);
const mturk = new MTurk(endpoint ? { endpoint } : {});
const input = readline.createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();

async function ask(what, values = {}) {
  console.log(JSON.stringify({ ask: what, ...values }));
  return JSON.parse((await lines.next()).value);
}

// How the SDK tells a refusal: the class it modelled, the name, and the code beneath.
async function refusal(call) {
  try {
    await call;
  } catch (error) {
    return {
      name: error.name,
      modelled: error instanceof RequestError,
      code: error.TurkErrorCode,
      status: error.$metadata?.httpStatusCode,
    };
  }
  return null;
}

async function collect(pages, member) {
  const found = [];
  for await (const page of pages) found.push(page[member]);
  return found;
}

const QUESTION =
  '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">' +
  "<ExternalURL>https://example.org/q</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>";

const hit = (changes = {}) => ({
  Title: "Which pictures?",
  Description: "Pick them – all of them.",
  Keywords: "pictures, words",
  Reward: "0.50",
  LifetimeInSeconds: 3600,
  AssignmentDurationInSeconds: 600,
  AutoApprovalDelayInSeconds: 86400,
  Question: QUESTION,
  ...changes,
});

const topics = {
  async balance() {
    const { AvailableBalance } = await mturk.getAccountBalance();
    return { AvailableBalance };
  },

  async hits() {
    const { HIT: made } = await mturk.createHIT(hit({ MaxAssignments: 3, UniqueRequestToken: "one" }));
    const repeated = await refusal(mturk.createHIT(hit({ MaxAssignments: 3, UniqueRequestToken: "one" })));
    const { HIT: got } = await mturk.getHIT({ HITId: made.HITId });
    const { HITTypeId } = await mturk.createHITType({
      Title: "Another",
      Description: "kind",
      Reward: "0.10",
      AssignmentDurationInSeconds: 60,
    });
    for (let number = 0; number < 4; number += 1) {
      await mturk.createHITWithHITType({ HITTypeId, LifetimeInSeconds: 60, Question: QUESTION });
    }
    const pages = await collect(mturkModule.paginateListHITs({ client: mturk, pageSize: 2 }, {}), "HITs");
    const ids = pages.flat().map((listed) => listed.HITId);
    return {
      status: got.HITStatus,
      reviewStatus: got.HITReviewStatus,
      title: got.Title,
      description: got.Description,
      reward: got.Reward,
      counts: [
        got.MaxAssignments,
        got.NumberOfAssignmentsAvailable,
        got.NumberOfAssignmentsPending,
        got.NumberOfAssignmentsCompleted,
      ],
      lifetime: (got.Expiration - got.CreationTime) / 1000,
      requirements: got.QualificationRequirements,
      repeated,
      pages: pages.map((page) => page.length),
      different: new Set(ids).size,
      listed: ids.includes(made.HITId),
      missing: await refusal(mturk.getHIT({ HITId: "3NOSUCHHIT0000000000000000000" })),
      invalid: await refusal(mturk.createHIT(hit({ Reward: "a lot" }))),
    };
  },

  async changes() {
    const { HIT: made } = await mturk.createHIT(hit({ MaxAssignments: 1 }));
    const HITId = made.HITId;
    const more = { HITId, NumberOfAdditionalAssignments: 2, UniqueRequestToken: "more" };
    await mturk.createAdditionalAssignmentsForHIT(more);
    const again = await refusal(mturk.createAdditionalAssignmentsForHIT(more));
    const extended = (await mturk.getHIT({ HITId })).HIT.MaxAssignments;
    const wanted = new Date(Math.floor(Date.now() / 1000) * 1000 + 7200000);
    await mturk.updateExpirationForHIT({ HITId, ExpireAt: wanted });
    const expiration = (await mturk.getHIT({ HITId })).HIT.Expiration;
    const early = await refusal(mturk.deleteHIT({ HITId }));
    await mturk.updateExpirationForHIT({ HITId, ExpireAt: new Date(0) });
    const expired = (await mturk.getHIT({ HITId })).HIT.HITStatus;
    const reviewable = (await mturk.listReviewableHITs({})).HITs.map((listed) => listed.HITId === HITId);
    await mturk.updateHITReviewStatus({ HITId });
    const reviewing = (await mturk.getHIT({ HITId })).HIT.HITStatus;
    await mturk.deleteHIT({ HITId });
    const left = (await mturk.listHITs({})).HITs.length;
    return { again, extended, moved: expiration - wanted, early, expired, reviewable, reviewing, left };
  },

  async review() {
    const { HIT: made } = await mturk.createHIT(hit({ MaxAssignments: 3 }));
    const HITId = made.HITId;
    const [first, second, third] = [
      await ask("hand_in", { HITId }),
      await ask("hand_in", { HITId }),
      await ask("accept", { HITId }),
    ];
    const handed = await mturk.listAssignmentsForHIT({ HITId, AssignmentStatuses: ["Submitted"] });
    const hidden = await refusal(mturk.getAssignment({ AssignmentId: third.AssignmentId }));
    await mturk.approveAssignment({ AssignmentId: first.AssignmentId, RequesterFeedback: "Thank you." });
    const twice = await refusal(mturk.approveAssignment({ AssignmentId: first.AssignmentId }));
    await mturk.rejectAssignment({ AssignmentId: second.AssignmentId, RequesterFeedback: "Not quite." });
    const rejected = (await mturk.getAssignment({ AssignmentId: second.AssignmentId })).Assignment;
    await mturk.approveAssignment({ AssignmentId: second.AssignmentId, OverrideRejection: true });
    const { Assignment: overridden, HIT: after } = await mturk.getAssignment({
      AssignmentId: second.AssignmentId,
    });
    return {
      handed: handed.Assignments.map((one) => one.WorkerId).sort(),
      workers: [first.WorkerId, second.WorkerId].sort(),
      answered: handed.Assignments.every((one) => one.Answer.length > 0 && one.SubmitTime instanceof Date),
      hidden,
      twice,
      rejected: [rejected.AssignmentStatus, rejected.RequesterFeedback, rejected.RejectionTime instanceof Date],
      overridden: [overridden.AssignmentStatus, overridden.ApprovalTime instanceof Date],
      completed: [after.NumberOfAssignmentsCompleted, after.NumberOfAssignmentsPending],
      balance: (await mturk.getAccountBalance()).AvailableBalance,
    };
  },

  async people() {
    const { HIT: made } = await mturk.createHIT(hit());
    const { AssignmentId, WorkerId } = await ask("hand_in", { HITId: made.HITId });
    await mturk.approveAssignment({ AssignmentId });
    const bonus = {
      AssignmentId,
      WorkerId,
      BonusAmount: "0.25",
      Reason: "All right.",
      UniqueRequestToken: "bonus",
    };
    await mturk.sendBonus(bonus);
    const twice = await refusal(mturk.sendBonus(bonus));
    const { BonusPayments: paid } = await mturk.listBonusPayments({ AssignmentId });
    const told = await mturk.notifyWorkers({
      Subject: "Again?",
      MessageText: "There is more to do.",
      WorkerIds: [WorkerId, "A1STRANGER0000"],
    });
    await mturk.createWorkerBlock({ WorkerId, Reason: "Answers at random." });
    const { WorkerBlocks: blocked } = await mturk.listWorkerBlocks({});
    await mturk.deleteWorkerBlock({ WorkerId, Reason: "A mistake." });
    return {
      twice,
      paid: paid.map((one) => [one.BonusAmount, one.Reason, one.GrantTime instanceof Date]),
      failures: told.NotifyWorkersFailureStatuses.map((one) => [one.WorkerId, one.NotifyWorkersFailureCode]),
      blocked: blocked.map((one) => [one.WorkerId === WorkerId, one.Reason]),
      unblocked: (await mturk.listWorkerBlocks({})).WorkerBlocks.length,
      unknown: await refusal(mturk.createWorkerBlock({ WorkerId: "A1STRANGER0000", Reason: "None." })),
    };
  },

  async qualifications() {
    const { WorkerId } = await ask("invite");
    const { QualificationType: made } = await mturk.createQualificationType({
      Name: "Knows pictures",
      Description: "Scored by hand.",
      QualificationTypeStatus: "Active",
      Keywords: "pictures",
    });
    const { QualificationTypeId } = made;
    const twice = await refusal(
      mturk.createQualificationType({
        Name: "Knows pictures",
        Description: "Again.",
        QualificationTypeStatus: "Active",
      }),
    );
    const none = await refusal(mturk.getQualificationScore({ QualificationTypeId, WorkerId }));
    await mturk.associateQualificationWithWorker({ QualificationTypeId, WorkerId, IntegerValue: 7 });
    const { Qualification: granted } = await mturk.getQualificationScore({ QualificationTypeId, WorkerId });
    const { Qualifications: holders } = await mturk.listWorkersWithQualificationType({ QualificationTypeId });
    const found = await collect(
      mturkModule.paginateListQualificationTypes(
        { client: mturk },
        { Query: "pictures", MustBeRequestable: false, MustBeOwnedByCaller: true },
      ),
      "QualificationTypes",
    );
    const guarded = await mturk.createHIT(
      hit({
        QualificationRequirements: [
          {
            QualificationTypeId,
            Comparator: "GreaterThanOrEqualTo",
            IntegerValues: [5],
            ActionsGuarded: "DiscoverPreviewAndAccept",
          },
        ],
      }),
    );
    await mturk.disassociateQualificationFromWorker({ QualificationTypeId, WorkerId, Reason: "Over." });
    const revoked = await refusal(mturk.getQualificationScore({ QualificationTypeId, WorkerId }));
    const withHits = await mturk.listHITsForQualificationType({ QualificationTypeId });
    await mturk.deleteQualificationType({ QualificationTypeId });
    return {
      status: made.QualificationTypeStatus,
      twice,
      none,
      granted: [granted.IntegerValue, granted.Status, granted.GrantTime instanceof Date],
      holders: holders.map((one) => one.WorkerId === WorkerId),
      found: found.flat().map((one) => one.QualificationTypeId === QualificationTypeId),
      guarded: guarded.HIT.QualificationRequirements[0].IntegerValues,
      hits: withHits.HITs.map((one) => one.HITId === guarded.HIT.HITId),
      revoked,
    };
  },
};

topics[topic]().then(
  (report) => {
    console.log(JSON.stringify({ report }));
    input.close();
  },
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
